/*
 * array.h
 *	  Arrays that grow.
 */
#ifndef GPUAGG_ARRAY_H
#define GPUAGG_ARRAY_H

#define ARRAY_LEAST 1024

typedef struct Array
{
	char	   *data;
	Size		size;			/* bytes that are used */
	Size		capacity;
} Array;

/* Room for `size` bytes behind those that are used; in the array's own context once it has one. */
static inline void *
array_extend(Array *array, Size size)
{
	void	   *place;

	if (array->size + size > array->capacity)
	{
		array->capacity = Max(array->size + size, Max(array->capacity * 2, ARRAY_LEAST));
		array->data = array->data == NULL ?
			palloc_extended(array->capacity, MCXT_ALLOC_HUGE) :
			repalloc_huge(array->data, array->capacity);
	}
	place = array->data + array->size;
	array->size += size;
	return place;
}

/* The capacity of an array that has grown to so many bytes by small steps. */
static inline double
array_expected_capacity(double size)
{
	double		capacity = ARRAY_LEAST;

	while (capacity < size)
		capacity *= 2;
	return capacity;
}

#endif							/* GPUAGG_ARRAY_H */
